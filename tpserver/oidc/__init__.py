"""Sign-in through OpenID Connect: providers, which are other servers, and what becomes of who comes from there."""
