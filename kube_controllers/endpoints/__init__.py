"""What a Service leads to: its EndpointSlices, and its Endpoints. Source: pkg/controller/endpointslice, endpoint."""
