import type {z} from 'zod';
import type {SendgridMail} from './mail-schema.js';

/** How many unknown fields are named, and how much is shown of a name. */
const maxNamed = 20;
const maxNameLength = 100;

/** Names the fields that SendGrid does not know. */
export function unknownFields(issues: ReadonlyArray<z.core.$ZodIssueUnrecognizedKeys>): readonly string[] {
	const names = issues.flatMap(({path, keys}) => keys.map(key => [...path, key].join('.')));
	if (names.length === 0) {
		return [];
	}

	const named = names.slice(0, maxNamed).map(name => JSON.stringify(name.slice(0, maxNameLength)));
	const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
	return [`SendGrid knows no field ${named.join(', ')}${more}: nothing was done with it.`];
}

/** What SendGrid does with these fields, and nobody here. */
const undone: Readonly<Record<string, string>> = {
	asm: 'no links to unsubscribe are added',
	batch_id: 'there are no batches to cancel',
	ip_pool_name: 'nothing is sent on',
	send_at: 'it is there at once',
};

const undoneSettings: Readonly<Record<string, string>> = {
	'mail_settings.footer': 'no footer is added',
	'mail_settings.spam_check': 'nothing is checked for spam',
	'mail_settings.sandbox_mode': 'SendGrid would have delivered this mail to nobody',
	'mail_settings.bypass_list_management': 'there is no list of those who unsubscribed',
	'mail_settings.bypass_spam_management': 'there is no list of those who complained',
	'mail_settings.bypass_bounce_management': 'there is no list of addresses that bounced',
	'mail_settings.bypass_unsubscribe_management': 'there is no list of those who unsubscribed',
	'tracking_settings.click_tracking': 'links stay as they are',
	'tracking_settings.open_tracking': 'no picture is added',
	'tracking_settings.subscription_tracking': 'no links to unsubscribe are added',
	'tracking_settings.ganalytics': 'links stay as they are',
};

/** Says which fields of a mail ask for something that is not done here. */
export function undoneFields(mail: SendgridMail): readonly string[] {
	const given = Object.entries(undone).filter(([field]) => mail[field as keyof SendgridMail] !== undefined);
	const groups = {mail_settings: mail.mail_settings ?? {}, tracking_settings: mail.tracking_settings ?? {}};
	const enabled = Object.entries(groups).flatMap(([group, settings]) =>
		Object.entries(settings)
			.filter(([, setting]) => setting?.enable)
			.map(([name]) => `${group}.${name}`),
	);
	const isLater = mail.send_at === undefined && mail.personalizations?.some(({send_at}) => send_at !== undefined);
	return [
		...given.map(([field, meaning]) => `"${field}" is not done here: ${meaning}.`),
		...(isLater ? [`"send_at" is not done here: ${undone['send_at']}.`] : []),
		...enabled.flatMap(field => {
			const meaning = undoneSettings[field];
			return meaning === undefined ? [] : [`"${field}" is not done here: ${meaning}.`];
		}),
	];
}
