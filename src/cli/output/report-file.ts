import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {usageError} from './exit.js';
import type {Failure} from './failure.js';

/** The result of a check. */
export type Verdict = {
	readonly name: string;
	/** ISO 8601. */
	readonly startedAt: string;
	readonly durationMs: number;
	/** Undefined when it passed. */
	readonly failure?: Pick<Failure, 'code' | 'message' | 'details'>;
};

const formats: ReadonlyMap<string, (verdict: Verdict) => string> = new Map([
	['junit', junit],
	['json', json],
]);

/** Value of `--report`: a format and a file. */
export type ReportTarget = readonly string[];

/** What writes the result to the file that is named. Throws where that is no format and a file. */
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

/** A JUnit XML file of one test case; well-formed whatever the texts contain. */
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

/** Characters that XML 1.0 cannot hold (section 2.2), not even as references, are replaced. */
function escapeXml(text: string): string {
	return text
		.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
		.replace(/[&<>"]/g, character => entities[character] ?? character);
}
