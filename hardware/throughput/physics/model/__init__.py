"""What a model is made of: parameters, caches, formats, experts, shapes."""
