"""Sign-in through other servers, the providers, by OpenID Connect."""
