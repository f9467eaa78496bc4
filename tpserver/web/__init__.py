"""What browsers get: pages, login links and WebSockets over HTTP, within the budgets of every connection."""
