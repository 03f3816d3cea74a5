"""Documents of word processors, wikis and publishers, by way of pandoc's tree."""
