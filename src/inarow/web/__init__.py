"""inarow in the browser: a server with an HTTP API, and the page that it serves."""
