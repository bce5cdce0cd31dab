export type Sample = {
	readonly name: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
};

export type Family = {
	readonly name: string;
	readonly help: string;
	readonly type: string;
	readonly samples: readonly Sample[];
};

const samplePattern = /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/i;
const labelPattern = /([a-z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/giy;

/** Parses the Prometheus text format, version 0.0.4; throws on anything else. */
export function readExposition(text: string): ReadonlyMap<string, Family> {
	if (!text.endsWith('\n')) {
		throw new Error('The last line has no newline.');
	}

	const families = new Map<string, {name: string; help: string; type: string; samples: Sample[]}>();
	let last = '';
	for (const line of text.split('\n').filter(Boolean)) {
		const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
		if (word === 'HELP') {
			if (families.has(name)) {
				throw new Error(`Duplicate metric ${name}.`);
			}

			families.set(name, {name, help: rest, type: '', samples: []});
			last = name;
		} else if (word === 'TYPE') {
			Object.assign(families.get(name) ?? {}, {type: rest});
		} else {
			const sample = readSample(line);
			families.get(last)?.samples.push(sample);
		}
	}

	return families;
}

function readSample(line: string): Sample {
	const [whole, name = '', labels = '', value = ''] = samplePattern.exec(line) ?? [];
	const pairs = [...labels.matchAll(labelPattern)];
	if (whole === undefined || pairs.map(([pair]) => pair).join('') !== labels || Number.isNaN(numberIn(value))) {
		throw new Error(`Invalid sample: ${line}`);
	}

	return {name, labels: Object.fromEntries(pairs.map(([, label, text]) => [label, text])), value: numberIn(value)};
}

function numberIn(text: string): number {
	return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
}

/** Violations of the rules of `promtool check metrics` and of the text format. */
export function violationsOf({name, help, type, samples}: Family): readonly string[] {
	const own = samples.map(sample => sample.name);
	const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
	const seriesOf = ({name, labels}: Sample) => JSON.stringify([name, Object.entries(labels).sort()]);
	const checks: Readonly<Record<string, boolean>> = {
		'no help': help === '',
		'unknown type': !['counter', 'gauge', 'histogram'].includes(type),
		'a counter without _total': type === 'counter' && !name.endsWith('_total'),
		'_total without a counter': type !== 'counter' && name.endsWith('_total'),
		'a histogram suffix': /_(?:bucket|count|sum)$/.test(name),
		'the type in the name': /_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name),
		'no base unit':
			/_(?:milliseconds|minutes|hours|days|kilobytes|megabytes|bits|percent|ms|us|ns|s|b|kb|mb)(?:_|$)/.test(name),
		'capital letters': /[A-Z]/.test(name),
		'a colon': name.includes(':'),
		'a sample of another family': !own.every(sample => suffixes.some(suffix => sample === name + suffix)),
		'a duplicate sample': new Set(samples.map(seriesOf)).size !== samples.length,
		'a value below 0': samples.some(({value}) => !(value >= 0)),
		'inconsistent buckets': type === 'histogram' && !isCumulative(samples),
	};
	return Object.keys(checks).filter(check => checks[check]);
}

/** True if the buckets are cumulative and the last one equals the count. */
function isCumulative(samples: readonly Sample[]): boolean {
	const seriesOf = ({le, ...labels}: Sample['labels']) => JSON.stringify(labels);
	const series = new Set(samples.map(({labels}) => seriesOf(labels)));
	return [...series].every(seriesKey => {
		const own = samples.filter(({labels}) => seriesOf(labels) === seriesKey);
		const buckets = own.filter(({name}) => name.endsWith('_bucket'));
		const count = own.find(({name}) => name.endsWith('_count'))?.value;
		const bounds = buckets.map(({labels}) => numberIn(labels['le'] ?? ''));
		const isRising = (values: readonly number[]) =>
			values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0));
		return isRising(bounds) && isRising(buckets.map(({value}) => value)) && buckets.at(-1)?.value === count;
	});
}
