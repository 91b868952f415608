"""What a namespace's limit ranges and quotas add to objects and refuse: for clients and for controllers alike."""
