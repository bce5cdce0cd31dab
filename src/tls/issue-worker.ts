import {parentPort, workerData} from 'node:worker_threads';
import {issue} from './issue.js';

/** Worker thread that issues one certificate. */
parentPort?.postMessage(await issue(workerData));
