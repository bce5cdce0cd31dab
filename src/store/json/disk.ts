import type {Log} from '../../lib/log.js';
import type {Files} from './files.js';
import type {Layout} from './layout.js';

/** The data directory, and where to say what was found there. */
export type Disk = {readonly files: Files; readonly layout: Layout; readonly log: Log};
