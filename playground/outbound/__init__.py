"""Outgoing HTTP requests: only to the scheduler extenders that the operator allows.

The code uses the standard library's `http.client`, because the rules concern the socket: it connects to the address
that was checked, one deadline covers the whole call, and proxies and redirects are not followed. A client library hides
the socket.
"""
