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

/** Reads the text format of Prometheus, version 0.0.4, as it says: anything else throws. */
export function readExposition(text: string): ReadonlyMap<string, Family> {
	if (!text.endsWith('\n')) {
		throw new Error('The last line does not end.');
	}

	const families = new Map<string, {name: string; help: string; type: string; samples: Sample[]}>();
	let last = '';
	for (const line of text.split('\n').filter(Boolean)) {
		const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
		if (word === 'HELP') {
			if (families.has(name)) {
				throw new Error(`${name} is there twice.`);
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
		throw new Error(`This is no sample: ${line}`);
	}

	return {name, labels: Object.fromEntries(pairs.map(([, label, text]) => [label, text])), value: numberIn(value)};
}

function numberIn(text: string): number {
	return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
}

/** What is wrong with a family by the rules of `promtool check metrics`, and by those of the format. */
export function faultsOf({name, help, type, samples}: Family): readonly string[] {
	const own = samples.map(sample => sample.name);
	const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
	const seriesOf = ({name, labels}: Sample) => JSON.stringify([name, Object.entries(labels).sort()]);
	const checks: Readonly<Record<string, boolean>> = {
		'no help': help === '',
		'no type that is known': !['counter', 'gauge', 'histogram'].includes(type),
		'a counter without _total': type === 'counter' && !name.endsWith('_total'),
		'_total without a counter': type !== 'counter' && name.endsWith('_total'),
		'a suffix of histograms': /_(?:bucket|count|sum)$/.test(name),
		'its type in its name': /_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name),
		'no base unit':
			/_(?:milliseconds|minutes|hours|days|kilobytes|megabytes|bits|percent|ms|us|ns|s|b|kb|mb)(?:_|$)/.test(name),
		'capital letters': /[A-Z]/.test(name),
		'a colon': name.includes(':'),
		'a sample of another': !own.every(sample => suffixes.some(suffix => sample === name + suffix)),
		'a sample twice': new Set(samples.map(seriesOf)).size !== samples.length,
		'a value below 0': samples.some(({value}) => !(value >= 0)),
		'buckets that do not add up': type === 'histogram' && !addsUp(samples),
	};
	return Object.keys(checks).filter(check => checks[check]);
}

/** Whether each bucket has what the one before has, and the last has all. */
function addsUp(samples: readonly Sample[]): boolean {
	const seriesOf = ({le, ...labels}: Sample['labels']) => JSON.stringify(labels);
	const series = new Set(samples.map(({labels}) => seriesOf(labels)));
	return [...series].every(one => {
		const own = samples.filter(({labels}) => seriesOf(labels) === one);
		const buckets = own.filter(({name}) => name.endsWith('_bucket'));
		const count = own.find(({name}) => name.endsWith('_count'))?.value;
		const bounds = buckets.map(({labels}) => numberIn(labels['le'] ?? ''));
		const isRising = (values: readonly number[]) =>
			values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0));
		return isRising(bounds) && isRising(buckets.map(({value}) => value)) && buckets.at(-1)?.value === count;
	});
}
