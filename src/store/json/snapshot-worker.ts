import {parentPort, workerData} from 'node:worker_threads';
import {nodeFiles} from '../../lib/io/files.js';
import {createSnapshot} from './snapshot.js';

// Worker thread that creates one snapshot.
parentPort?.postMessage(await createSnapshot(nodeFiles, workerData));
