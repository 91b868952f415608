"""Users: logged in, implicit, and guests."""
