import {readFileSync} from 'node:fs';
import {beforeAll, expect, test} from 'vitest';
import {Tinbox} from '../../helpers/tinbox.js';
import {DaemonMetrics} from './daemon-metrics.js';
import type {Family} from './exposition.js';

type Target = {readonly refId: string; readonly expr: string; readonly legendFormat: string};
type Panel = {
	readonly id: number;
	readonly type: string;
	readonly title: string;
	readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
	readonly datasource?: {readonly uid: string};
	readonly targets?: readonly Target[];
};

const board = JSON.parse(readFileSync(new URL('../../../docs/grafana.json', import.meta.url), 'utf8'));
const panels: readonly Panel[] = board.panels;
const queries = panels.flatMap(({title, targets = []}) => targets.map(target => ({title, ...target})));

/** Labels that Prometheus adds to every sample. */
const prometheusLabels = ['instance', 'job'];

let families: ReadonlyMap<string, Family>;
beforeAll(async () => {
	const tinbox = await Tinbox.open();
	const client = {host: '127.0.0.1', helo: null};
	tinbox.services.refusals.add({client, stage: 'rcpt', addresses: [null], reply: '550 5.1.1 No', reason: 'no'});
	({families} = await DaemonMetrics.scrape(tinbox));
	await tinbox.close();
});

/** Metric family of a metric name, which has a suffix for histograms. */
function familyOf(name: string): Family | undefined {
	return families.get(name) ?? families.get(name.replace(/_(?:bucket|count|sum)$/, ''));
}

/** Metric names in a query, and whether each is passed to `rate`. */
function metricsIn(expr: string) {
	return [...expr.matchAll(/(\w+)\(([a-z]\w*)\{|([a-z]\w*)\{/g)].map(([, call = '', inCall, alone]) => ({
		name: inCall ?? alone ?? '',
		isRate: call === 'rate',
	}));
}

/** Labels that a query selects, groups by or displays. */
function labelsIn({expr, legendFormat}: Target): readonly string[] {
	const selected = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) => inside.match(/\w+(?==)/g) ?? []);
	const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside = '']) => inside.split(/,\s*/));
	const shown = legendFormat.match(/(?<=\{\{)\w+(?=\}\})/g) ?? [];
	return [...selected, ...grouped, ...shown];
}

test.each(queries)('the Grafana query "$title: $legendFormat" uses metrics and labels of a daemon', target => {
	const metrics = metricsIn(target.expr);
	expect(metrics).toHaveLength(1);
	for (const {name, isRate} of metrics) {
		const family = familyOf(name);
		expect(family, name).toBeDefined();
		expect(isRate, `${name} is a ${family?.type}`).toBe(family?.type !== 'gauge');
		expect(family?.samples.map(sample => sample.name)).toContain(name);
		const known = new Set([...prometheusLabels, ...(family?.samples ?? []).flatMap(({labels}) => Object.keys(labels))]);
		expect(labelsIn(target).filter(label => !known.has(label))).toEqual([]);
	}
});

test('the Grafana board shows every metric of tinbox', () => {
	const shown = new Set(queries.flatMap(({expr}) => metricsIn(expr)).map(({name}) => familyOf(name)?.name));
	expect([...families.keys()].filter(name => name.startsWith('tinbox_') && !shown.has(name))).toEqual([]);
});

test('the Grafana board has the structure that Grafana imports', () => {
	expect(board).toMatchObject({id: null, uid: 'tinbox', title: 'tinbox', schemaVersion: expect.any(Number)});
	const [datasource, instance] = board.templating.list;
	expect(datasource).toMatchObject({name: 'datasource', type: 'datasource', query: 'prometheus'});
	expect(instance).toMatchObject({
		name: 'instance',
		type: 'query',
		definition: 'label_values(tinbox_build_info, instance)',
	});
	expect(new Set(panels.map(({id}) => id)).size).toBe(panels.length);
	expect(panels.filter(({type}) => type === 'row').map(({title}) => title)).toEqual([
		'Mail',
		'Waits',
		'Webhooks',
		'Refusals and faults',
		'Store',
		'Process',
	]);
	for (const {type, gridPos, datasource, targets = []} of panels) {
		expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
		expect(datasource?.uid).toBe(type === 'row' ? undefined : '$' + '{datasource}');
		expect(new Set(targets.map(({refId}) => refId)).size).toBe(targets.length);
	}
});
