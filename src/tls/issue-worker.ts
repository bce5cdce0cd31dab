import {parentPort, workerData} from 'node:worker_threads';
import {issue} from './issue.js';

/** The thread in which one order is carried out. */
parentPort?.postMessage(await issue(workerData));
