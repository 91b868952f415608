"""EndpointSlices and Endpoints of Services. Source: pkg/controller/endpointslice, endpoint."""
