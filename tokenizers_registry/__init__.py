"""How text becomes tokens.

`families` says which tokenizers there are, `vocabularies` where their files come from, `engines` how each is run,
`registered` what users bring themselves, `workers` in which processes, `counting` is what the services call, `text`
measures characters, `assignments` maps a provider's model to its tokenizer, `count_ranges` says how far an estimate may be
off by the script of the text. Importing any of them loads no engine and no vocabulary.
"""
