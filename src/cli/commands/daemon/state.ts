import {type Command, Option} from 'commander';
import {fieldsOf} from '../../../contract/field-names.js';
import {hostPort} from '../../../lib/io/hosts.js';
import type {DaemonState} from '../../../runtime/state-file.js';
import {connectionEnv, makeCredentials} from '../../connect/make-credentials.js';
import type {Context} from '../../context.js';
import {type JsonFields, jsonOption} from '../../options.js';
import {printExports, printJson, printProperties} from '../../output/print.js';

type StateBody = Omit<DaemonState, 'birth' | 'settings' | 'owner'>;

const fields = fieldsOf<StateBody>()('pid version url https_url smtp smtps domain data_dir store');

/** How the state of the daemon is printed; `env` makes the local user's API key if there is none. */
export type StateFlags = {readonly json?: JsonFields; readonly format?: 'env'};

export function addStateFlags(command: Command, otherFields: readonly string[] = []): Command {
	return command
		.addOption(jsonOption([...new Set([...fields, ...otherFields])]))
		.addOption(new Option('--format <format>', 'print the connection variables, for eval').choices(['env']));
}

export async function printState(
	{io, paths}: Pick<Context, 'io' | 'paths'>,
	state: DaemonState,
	{json, format}: StateFlags,
): Promise<void> {
	const {pid, version, url, https_url, smtp, smtps, domain, data_dir, store = null} = state;
	if (json) {
		printJson(io, {pid, version, url, https_url, smtp, smtps, domain, data_dir, store}, json);
	} else if (format === 'env') {
		const {apiKey} = await makeCredentials(state, paths);
		printExports(io, connectionEnv(state, apiKey));
	} else {
		printProperties(io, {
			pid,
			version,
			smtp: hostPort(smtp),
			...(smtps && {smtps: hostPort(smtps)}),
			url,
			...(https_url !== null && {https_url}),
			domain,
			data_dir,
			...(store !== null && {store}),
		});
	}
}
