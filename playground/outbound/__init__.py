"""The one door through which the playground calls other machines: the extenders that its operator allows.

Written on the standard library's `http.client`, because what matters here lies below HTTP: the address that was checked
is the one that is connected to, one deadline covers everything, no proxy and no redirect leads elsewhere. A client
library would hide the socket that all of this is about.
"""
