import type {Command} from 'commander';
import type {MessageFilter} from '../../../client/messages.js';

export type FilterFlags = {
	readonly subject?: string;
	readonly from?: string;
	readonly to?: string;
	readonly after?: string;
};

export function addFilterFlags(command: Command): Command {
	return command
		.option('--subject <text>', 'the subject contains this text')
		.option('--from <text>', "the sender's address contains this text")
		.option('--to <text>', "the recipient's address contains this text")
		.option('--after <id>', 'newer than the message with this id');
}

export function filterOf({subject, from, to, after}: FilterFlags): MessageFilter {
	return {q: subject, from, to, after};
}

/** In words, behind "message": ` with "code" in the subject from "shop"`. */
export function describeFilter({subject, from, to, after}: FilterFlags): string {
	return [
		subject && ` with "${subject}" in the subject`,
		from && ` from "${from}"`,
		to && ` to "${to}"`,
		after && ` after ${after}`,
	]
		.filter(Boolean)
		.join('');
}
