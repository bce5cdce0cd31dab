import {spawnSync} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {blockNamed, blocksIn, readPage} from '../../e2e/docs/blocks.js';
import {createWorld, isInstalled} from '../../e2e/docs/world.js';
import {tempDir} from '../../helpers/temp-dir.js';
import {openTinbox} from '../../helpers/tinbox.js';
import {DaemonMetrics} from './daemon-metrics.js';

const page = 'docs/operate/metrics-and-logs.md';
const scrape = blockNamed('Metrics and logs: yaml', page);

test('the metrics page contains only code blocks that these tests cover', () => {
	expect(blocksIn(page).map(({name}) => name)).toEqual(['Metrics and logs: yaml', 'The log: sh']);
});

test('the metrics page lists every metric', async () => {
	const {families} = await DaemonMetrics.scrape(await openTinbox());
	const rows = [...readPage(page).matchAll(/^\| (`(?:tinbox|process)_.*?) \| (.*?) \|/gm)];
	const documented = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)…?`/g)].map(([, name = '']) => name));
	const own = [...families.keys()].filter(name => !/^(?:process|nodejs)_/.test(name));
	expect(documented.filter(name => name.startsWith('tinbox_')).sort()).toEqual(own.sort());
	expect(documented).toEqual(expect.arrayContaining(['process_', 'nodejs_']));
});

test('the scrape configuration reads a local daemon, and remote daemons with an operator token', () => {
	const {scrape_configs: jobs} = parse(scrape);
	const targets = jobs.flatMap((job: {static_configs: Array<{targets: string[]}>}) => job.static_configs[0]?.targets);
	expect(targets).toEqual(['localhost:8025', '192.0.2.1:8025']);
	expect(jobs[1].authorization).toEqual({credentials_file: expect.any(String)});
});

test.skipIf(!isInstalled('promtool'))('Prometheus accepts the scrape configuration', async () => {
	const file = path.join(await tempDir(), 'prometheus.yml');
	await writeFile(file, scrape.replace(/\/etc\/\S+?(?=\})/, file));
	const {status, stderr} = spawnSync('promtool', ['check', 'config', file], {encoding: 'utf8'});
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
});

test.skipIf(!isInstalled('curl'))('the documented log search finds a request by its trace id', async () => {
	const {sh} = await createWorld();
	const search = blockNamed('The log: sh', page);
	const [, trace = ''] = /"request":"(\w+)"/.exec(search) ?? [];
	const printed = await sh(`
		eval "$(tinbox daemon start --format env)"
		eval "$(tinbox inbox create --format env)"
		curl -s -o /dev/null -H "Authorization: Bearer $TINBOX_API_KEY" -H 'traceparent: 00-${trace}-00f067aa0ba902b7-01' \
			--json '{"from": "shop@shop.example", "to": "nobody@elsewhere.example"}' "$TINBOX_URL/send"
		journalctl() { tinbox daemon logs --lines 1000; }
		${search}`);
	expect(JSON.parse(printed)).toMatchObject({request: trace, msg: expect.any(String)});
});
