import type {Verdict} from './report.js';

/** A JUnit XML file of one test case. It is well-formed whatever the texts hold. */
export function junit({name, startedAt, durationMs, failure}: Verdict): string {
	const seconds = (durationMs / 1000).toFixed(3);
	const counts = `tests="1" failures="${failure ? 1 : 0}" errors="0" time="${seconds}"`;
	const testCase = `<testcase classname="tinbox" name="${escapeXml(name)}" time="${seconds}">`;
	const [reason = ''] = failure?.message.split('\n') ?? [];
	return [
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<testsuites ${counts}>`,
		`\t<testsuite name="tinbox" ${counts} timestamp="${startedAt}">`,
		`\t\t${testCase}`,
		...(failure
			? [
					`\t\t\t<failure type="${escapeXml(failure.code)}" message="${escapeXml(reason)}">${escapeXml(failure.message)}</failure>`,
				]
			: []),
		'\t\t</testcase>',
		'\t</testsuite>',
		'</testsuites>',
		'',
	].join('\n');
}

const entities: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** Characters that XML 1.0 cannot hold (section 2.2), not even as references, are replaced. */
function escapeXml(text: string): string {
	return text
		.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
		.replace(/[&<>"]/g, character => entities[character] ?? character);
}
