import type {MessageFilter} from '../contract/messages.js';

/** Describes a filter as a continuation of "message": ` with subject "code" from "shop"`. Contains untrusted text. */
export function describeFilter(filter: MessageFilter): string {
	const {q, subject, from, to, contains, header = [], has = [], link = [], tls, smtp_user, match, after} = filter;
	const wanted = [...has.map(finding => `a ${finding}`), ...link.map(pattern => `a link matching "${pattern}"`)];
	const is = match === 'exact' ? ' exactly' : '';
	return [
		q && ` with "${q}" in the subject`,
		subject && ` with subject${is} "${subject}"`,
		from && ` from${is} "${from}"`,
		to && ` to${is} "${to}"`,
		contains && ` containing "${contains}"`,
		...header.map(field => ` with header${is} "${field}"`),
		wanted.length > 0 && ` that has ${wanted.join(' and ')}`,
		tls !== undefined && ` ${tls ? 'over' : 'without'} TLS`,
		smtp_user && ` sent by SMTP user "${smtp_user}"`,
		after && ` after ${after}`,
	]
		.filter(Boolean)
		.join('');
}
