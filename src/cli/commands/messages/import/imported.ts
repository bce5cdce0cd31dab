import {fieldsOf} from '../../../../contract/field-names.js';
import type {ImportCheckBody, MessageSummaryBody} from '../../../../contract/messages.js';
import {formatSize} from '../../../../lib/text/units.js';
import type {TableColumn} from '../../../output/table.js';

/** What became of a mail in a file, or would become of it. */
export type Imported = {
	/** Its file, and its place in an mbox. */
	readonly location: string;
	readonly size: number;
	/** Of the message; null where there is none. */
	readonly id: string | null;
	readonly from: string | null;
	readonly subject: string | null;
	/** Why it is not taken; null where it is. */
	readonly error: string | null;
	/** What could not be read of it; null where that was not looked at. */
	readonly warnings: readonly string[] | null;
};

export const importedFields = fieldsOf<Imported>()('location size id from subject error warnings');

export const importedColumns: readonly TableColumn<Imported>[] = [
	{header: 'LOCATION', value: ({location}) => location},
	{header: 'SIZE', value: ({size}) => String(size), show: ({size}) => formatSize(size)},
	{header: 'FROM', value: ({from}) => from ?? ''},
	{header: 'SUBJECT', value: ({subject}) => subject ?? ''},
	{header: 'PROBLEMS', value: ({error, warnings}) => error ?? (warnings ?? []).join(' ')},
];

/** Of a mail that was kept. */
export function keptAt(location: string, {id, from, subject, size}: MessageSummaryBody): Imported {
	return {location, size, id, from, subject, error: null, warnings: null};
}

/** Of a mail that would be kept. */
export function checkedAt(location: string, {from, subject, size, warnings}: ImportCheckBody): Imported {
	return {location, size, id: null, from, subject, error: null, warnings};
}

/** Of a mail, or a whole file, that is not taken. */
export function refusedAt(location: string, size: number, error: string): Imported {
	return {location, size, id: null, from: null, subject: null, error, warnings: null};
}
