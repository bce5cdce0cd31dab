import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {usageError} from './exit.js';
import type {Failure} from './failure.js';

/** Result of a check for a report. */
export type Verdict = {
	readonly name: string;
	/** ISO 8601. */
	readonly startedAt: string;
	readonly durationMs: number;
	/** Undefined if the check passed. */
	readonly failure?: Pick<Failure, 'code' | 'message' | 'details'>;
};

const formats: ReadonlyMap<string, (verdict: Verdict) => string> = new Map([
	['junit', junit],
	['json', json],
]);

/** Value of `--report`: a format and a file. */
export type ReportTarget = readonly string[];

/** Creates a function that writes a result to the report file. Throws a usage error for an invalid target. */
export function reportTo([name = '', file, ...others]: ReportTarget): (verdict: Verdict) => Promise<void> {
	const format = formats.get(name);
	if (!format || file === undefined || others.length > 0) {
		throw usageError('--report needs a format and a file: --report junit <file> or --report json <file>.');
	}

	return async verdict => {
		await mkdir(path.dirname(file), {recursive: true});
		await writeFile(file, format(verdict));
	};
}

function json({name, startedAt, durationMs, failure}: Verdict): string {
	const {code, message, details} = failure ?? {};
	const body = {name, ok: failure === undefined, started_at: startedAt, duration_ms: durationMs};
	return `${JSON.stringify(failure ? {...body, failure: {code, message, ...details}} : body, null, 2)}\n`;
}

/** JUnit XML document with one test case. */
export function junit({name, startedAt, durationMs, failure}: Verdict): string {
	const seconds = (durationMs / 1000).toFixed(3);
	const counts = `tests="1" failures="${failure ? 1 : 0}" errors="0" time="${seconds}"`;
	const [reason = ''] = failure?.message.split('\n') ?? [];
	const problem = failure
		? `
			<failure type="${escapeXml(failure.code)}" message="${escapeXml(reason)}">${escapeXml(failure.message)}</failure>`
		: '';
	return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
	<testsuite name="tinbox" ${counts} timestamp="${startedAt}">
		<testcase classname="tinbox" name="${escapeXml(name)}" time="${seconds}">${problem}
		</testcase>
	</testsuite>
</testsuites>
`;
}

const entities: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** Escapes a text. Replaces characters that XML 1.0 forbids even as references (section 2.2). */
function escapeXml(text: string): string {
	return text
		.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
		.replace(/[&<>"]/g, character => entities[character] ?? character);
}
