import {version} from './lib/version.js';

// A separate bundle, so that `tinbox --version` is fast.
process.stdout.write(`${version}\n`);
