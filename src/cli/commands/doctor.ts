import type {Command} from 'commander';
import {sanitizeLine, sanitizeText} from '../../lib/sanitize.js';
import type {Context} from '../context.js';
import {type Finding, runAll, runOne, runStages} from '../doctor/check.js';
import {daemonChecks} from '../doctor/daemon.js';
import {machineChecks} from '../doctor/machine.js';
import {mailStages} from '../doctor/mail.js';
import {Exit, exitCodes} from '../exit.js';
import {type FieldsOf, type JsonFields, jsonOption} from '../options.js';
import {printJson} from '../output.js';
import {withSpinner} from '../spinner.js';

export type DoctorOptions = {readonly json?: JsonFields};

type Diagnosis = {readonly healthy: boolean; readonly checks: readonly Finding[]};

const fields: FieldsOf<Diagnosis> = {healthy: true, checks: true};

/** Declares the arguments of `tinbox doctor`, which is a command without subcommands. */
export function fillDoctor(command: Command, context: Context, run = runDoctor): void {
	command
		.addOption(jsonOption(fields))
		.addHelpText('after', '\nExits with 1 when something does not work. A daemon is started if none runs.')
		.action(async (options: DoctorOptions) => run(options, context));
}

export async function runDoctor({json}: DoctorOptions, context: Context): Promise<void> {
	const checks: Finding[] = [];
	const findings = diagnose(context);
	for (;;) {
		const {value: finding} = await withSpinner(context, 'examining', () => findings.next());
		if (finding === undefined) {
			break;
		}

		checks.push(finding);
		if (!json) {
			print(finding, context);
		}
	}

	const failed = checks.filter(({result}) => result === 'failed');
	if (json) {
		printJson(context.io, {healthy: failed.length === 0, checks}, json);
	}

	if (failed.length > 0) {
		const names = failed.map(({name}) => `"${name}"`).join(', ');
		throw new Exit(exitCodes.failed, 'unhealthy', `Something does not work: ${names}.`);
	}
}

async function* diagnose(context: Context): AsyncGenerator<Finding, undefined> {
	if (context.remoteUrl() === undefined) {
		yield* runAll(machineChecks(context));
	}

	const {reach, fit} = daemonChecks(context);
	const {stages, cleanUp} = mailStages(context);
	try {
		const reached = await runOne(reach);
		yield reached;
		if (reached.result === 'ok') {
			yield* runAll(fit);
			yield* runStages(stages);
		} else {
			yield* runStages([...fit, ...stages], reach.name);
		}
	} finally {
		await cleanUp();
	}
}

function print({name, result, detail, hint}: Finding, {io: {stdout}}: Context): void {
	if (!stdout.isTTY) {
		stdout.write(`${[name, result, detail].map(sanitizeLine).join('\t')}\n`);
		return;
	}

	stdout.write(`${result.padEnd(7)}  ${name.padEnd(12)}  ${sanitizeLine(detail)}\n`);
	if (hint !== undefined) {
		stdout.write(`${' '.repeat(23)}${sanitizeText(hint)}\n`);
	}
}
