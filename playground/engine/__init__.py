"""Where the simulation meets the database: who works on a cluster, for how long, and what is stored of it."""
