import {type Command, Option} from 'commander';
import type {DaemonState} from '../../../runtime/state-file.js';
import type {Io} from '../../context.js';
import {type FieldsOf, type JsonFields, jsonOption} from '../../options.js';
import {printJson, printProperties} from '../../output.js';

type StateBody = Omit<DaemonState, 'birth' | 'settings'>;

const fields: FieldsOf<StateBody> = {pid: true, version: true, url: true, smtp: true, domain: true, data_dir: true};

/** How the state of the daemon is printed. */
export type StateFlags = {readonly json?: JsonFields; readonly format?: 'env'};

export function addStateFlags(command: Command): Command {
	return command
		.addOption(jsonOption(fields))
		.addOption(new Option('--format <format>', 'print host and ports as shell variables').choices(['env']));
}

export function printState(io: Io, state: DaemonState, {json, format}: StateFlags): void {
	const {pid, version, url, smtp, domain, data_dir} = state;
	if (json) {
		printJson(io, {pid, version, url, smtp, domain, data_dir}, json);
	} else if (format === 'env') {
		const {port} = new URL(url);
		io.stdout.write(`export TINBOX_HOST=${smtp.host} TINBOX_SMTP_PORT=${smtp.port} TINBOX_HTTP_PORT=${port}\n`);
	} else {
		printProperties(io, {pid, version, smtp: `${smtp.host}:${smtp.port}`, url, domain, data_dir});
	}
}
