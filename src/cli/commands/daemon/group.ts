import type {Command} from 'commander';
import type {Context} from '../../context.js';
import {addLogs} from './logs.js';
import {addRestart} from './restart.js';
import {addRun} from './run.js';
import {addStart} from './start.js';
import {addStatus} from './status.js';
import {addStop} from './stop.js';

export function addDaemonCommands(parent: Command, context: Context): void {
	addStart(parent, context);
	addRun(parent, context);
	addStop(parent, context);
	addRestart(parent, context);
	addStatus(parent, context);
	addLogs(parent, context);
}
