import {version} from './lib/version.js';

// A bundle of its own, since scripts ask often and nothing else is needed.
process.stdout.write(`${version}\n`);
