import {parentPort, workerData} from 'node:worker_threads';
import {nodeFiles} from '../../lib/io/files.js';
import {fold} from './snapshot.js';

/** The thread that makes one snapshot, so that the daemon answers meanwhile. */
parentPort?.postMessage(await fold(nodeFiles, workerData));
