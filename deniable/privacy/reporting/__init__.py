"""The privacy report: measures, designs and warnings in words that need no statistics, in English and Polish."""
