import type {MessageFilter} from '../contract/messages.js';

/** A filter in words that follow "message": ` with subject "code" from "shop"`. It repeats text from outside. */
export function describeFilter(filter: MessageFilter): string {
	const {subject, from, to, contains, header = [], has = [], link = [], tls, smtp_user, match, after} = filter;
	const wanted = [...has.map(finding => `a ${finding}`), ...link.map(pattern => `a link that fits "${pattern}"`)];
	const is = match === 'exact' ? ' exactly' : '';
	return [
		subject && ` with subject${is} "${subject}"`,
		from && ` from${is} "${from}"`,
		to && ` to${is} "${to}"`,
		contains && ` containing "${contains}"`,
		...header.map(field => ` with header${is} "${field}"`),
		wanted.length > 0 && ` that has ${wanted.join(' and ')}`,
		tls !== undefined && ` ${tls ? 'over' : 'without'} TLS`,
		smtp_user && ` with the login "${smtp_user}"`,
		after && ` after ${after}`,
	]
		.filter(Boolean)
		.join('');
}
