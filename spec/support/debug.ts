// Imported before anything else, since the debug module reads its variable once.
process.env['DEBUG'] = '*';
