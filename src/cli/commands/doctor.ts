import type {Command} from 'commander';
import {fieldsOf} from '../../contract/field-names.js';
import {sanitizeLine, sanitizeText} from '../../lib/text/sanitize.js';
import type {Context} from '../context.js';
import {type Finding, runChecks} from '../doctor/check.js';
import {daemonChecks} from '../doctor/daemon.js';
import {machineChecks} from '../doctor/machine.js';
import {mailStages} from '../doctor/mail.js';
import {refusalCheck} from '../doctor/refusals.js';
import {addHelpNote} from '../help/layout.js';
import {type JsonFields, type JsonFlag, jsonOption} from '../options.js';
import {Exit, exitCodes} from '../output/exit.js';
import {printJson} from '../output/print.js';
import {withSpinner} from '../output/spinner.js';

type Diagnosis = {readonly healthy: boolean; readonly checks: readonly Finding[]};

const fields = fieldsOf<Diagnosis>()('healthy checks');

export function fillDoctor(command: Command, context: Context): void {
	addHelpNote(command, 'The exit code is 1 if a check fails. Starts a daemon if none is running.')
		.addOption(jsonOption(fields))
		.action(async ({json}: JsonFlag) => diagnose(json, context));
}

async function diagnose(json: JsonFields, context: Context): Promise<void> {
	const checks: Finding[] = [];
	const found = findings(context);
	for (;;) {
		const {value: finding} = await withSpinner(context, 'checking', () => found.next());
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
		throw new Exit(exitCodes.failed, 'unhealthy', `These checks failed: ${names}.`);
	}
}

async function* findings(context: Context): AsyncGenerator<Finding, undefined> {
	const machine = context.remoteUrl() === undefined ? machineChecks(context) : [];
	const {stages, cleanUp} = mailStages(context);
	try {
		yield* runChecks([...machine, ...daemonChecks(context), refusalCheck(context), ...stages], context);
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
