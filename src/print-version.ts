import {version} from './lib/version.js';

// Scripts ask often, and it takes nothing of the rest.
process.stdout.write(`${version}\n`);
