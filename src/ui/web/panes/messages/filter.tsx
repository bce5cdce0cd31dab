import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {findings, type Match, matches} from '../../../../contract/constants.js';
import {filterList} from '../../actions/message-list.js';
import {useWeb} from '../../context.js';
import type {FilterProblem, ListFilter} from '../../state/route.js';

/** Delay between typing and filtering. */
const restMs = 250;

/** Fields of the panel, by their names in the API. */
const fields = {
	subject: {label: 'Subject', example: 'Confirm'},
	from: {label: 'From', example: 'name, address'},
	to: {label: 'To', example: 'name, address'},
	contains: {label: 'Contains', example: 'text or HTML'},
	header: {label: 'Header', example: 'X-Mailer: acme'},
	link: {label: 'Link', example: 'reset'},
} as const;

const lists = ['header', 'link'] as const;

const words: Readonly<Record<Match, string>> = {
	text: 'Contains',
	pattern: 'Contains or /regex/',
	exact: 'Equals or /regex/',
};

/** Id of the error message, of which there is at most one. */
const problemId = 'filter-problem';

type FilterProps = {
	readonly filter: ListFilter;
	readonly problem: FilterProblem | undefined;
	/** Content after the field. */
	readonly children: ComponentChildren;
};

/** Filter of the list, with the same fields as filters of waits. */
export function FilterForm({filter, problem, children}: FilterProps) {
	const web = useWeb();
	const {draft, change, clear} = useDraft(filter, filter => filterList(web, filter));
	const {q, ...others} = draft;
	const count = Object.values(others).filter(value => value !== undefined && value !== 'text').length;
	const [isOpen, setIsOpen] = useState(false);
	const isInBox = problem !== undefined && (!isOpen || problem.field === undefined || !(problem.field in fields));
	return (
		<search class="mails-head">
			<div class="filter-box row wrap">
				<input
					id="filter"
					type="search"
					aria-label="Filter by subject"
					placeholder="Filter by subject"
					value={q ?? ''}
					aria-invalid={isInBox}
					aria-describedby={isInBox ? problemId : undefined}
					onInput={event => change({q: event.currentTarget.value || undefined})}
				/>
				<button type="button" class="plain" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
					Filters{count > 0 ? ` (${count})` : ''}
				</button>
				{(count > 0 || q !== undefined) && (
					<button type="button" class="plain" onClick={clear}>
						Clear
					</button>
				)}
				{children}
			</div>
			{isInBox && <Problem problem={problem} />}
			{isOpen && <Fields draft={draft} change={change} problem={problem} />}
		</search>
	);
}

type FieldsProps = {
	readonly draft: ListFilter;
	readonly change: (part: ListFilter) => void;
	readonly problem: FilterProblem | undefined;
};

function Fields({draft, change, problem}: FieldsProps) {
	const names = Object.keys(fields) as Array<keyof typeof fields>;
	const valueIn = (name: keyof typeof fields) => [draft[name] ?? ''].flat()[0] ?? '';
	const partOf = (name: keyof typeof fields, text: string): ListFilter => {
		const value = text === '' ? undefined : lists.some(list => list === name) ? [text] : text;
		return {[name]: value};
	};
	return (
		<div class="filter-fields">
			{names.map(name => (
				<div key={name}>
					<label for={`filter-${name}`}>{fields[name].label}</label>
					<input
						id={`filter-${name}`}
						type="text"
						placeholder={fields[name].example}
						value={valueIn(name)}
						aria-invalid={problem?.field === name}
						aria-describedby={problem?.field === name ? problemId : undefined}
						onInput={event => change(partOf(name, event.currentTarget.value))}
					/>
					{problem?.field === name && <Problem problem={problem} />}
				</div>
			))}
			<label>
				<span>Match</span>
				<select
					value={draft.match ?? 'text'}
					onChange={event => {
						const match = matches.find(match => match === event.currentTarget.value);
						change({match: match === 'text' ? undefined : match});
					}}
				>
					{matches.map(match => (
						<option key={match} value={match}>
							{words[match]}
						</option>
					))}
				</select>
			</label>
			<fieldset>
				<legend>Has</legend>
				{findings.map(finding => (
					<label key={finding}>
						<input
							type="checkbox"
							checked={draft.has?.includes(finding) ?? false}
							onChange={({currentTarget: {checked}}) => {
								const has = findings.filter(name => (name === finding ? checked : draft.has?.includes(name)));
								change({has: has.length > 0 ? has : undefined});
							}}
						/>
						{finding}
					</label>
				))}
			</fieldset>
		</div>
	);
}

function Problem({problem}: {readonly problem: FilterProblem}) {
	return (
		<p class="failure" role="alert" id={problemId}>
			{problem.message}
		</p>
	);
}

/** Draft of the filter, applied after a pause in typing and replaced when the route changes. */
function useDraft(filter: ListFilter, apply: (filter: ListFilter) => void) {
	const [draft, setDraft] = useState(filter);
	const applied = useRef(JSON.stringify(filter));
	const timer = useRef(0);
	const current = JSON.stringify(filter);
	useEffect(() => {
		if (current !== applied.current) {
			// A pending change would bring the replaced filter back.
			clearTimeout(timer.current);
			applied.current = current;
			setDraft(filter);
		}
	}, [current, filter]);
	useEffect(() => () => clearTimeout(timer.current), []);
	const set = (next: ListFilter, waitMs: number) => {
		setDraft(next);
		clearTimeout(timer.current);
		timer.current = window.setTimeout(() => {
			applied.current = JSON.stringify(next);
			apply(next);
		}, waitMs);
	};
	const change = (part: ListFilter) => {
		const all = Object.entries({...draft, ...part}).filter(([, value]) => value !== undefined);
		set(Object.fromEntries(all), restMs);
	};
	return {draft, change, clear: () => set({}, 0)};
}
