"""The Levygrid service: grids in, training as jobs, predictions out."""
