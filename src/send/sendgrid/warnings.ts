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
	return [`Unknown SendGrid fields were ignored: ${named.join(', ')}${more}.`];
}

/** What SendGrid does with these fields, and nobody here. */
const undone: Readonly<Record<string, string>> = {
	asm: 'tinbox does not add unsubscribe links',
	batch_id: 'tinbox does not support canceling batches',
	ip_pool_name: 'tinbox does not relay mail',
	send_at: 'tinbox delivers immediately',
};

const undoneSettings: Readonly<Record<string, string>> = {
	'mail_settings.footer': 'tinbox does not add a footer',
	'mail_settings.spam_check': 'tinbox does not check for spam',
	'mail_settings.sandbox_mode': 'SendGrid would not have delivered this mail',
	'mail_settings.bypass_list_management': 'tinbox has no unsubscribe list',
	'mail_settings.bypass_spam_management': 'tinbox has no spam report list',
	'mail_settings.bypass_bounce_management': 'tinbox has no bounce list',
	'mail_settings.bypass_unsubscribe_management': 'tinbox has no unsubscribe list',
	'tracking_settings.click_tracking': 'tinbox does not rewrite links',
	'tracking_settings.open_tracking': 'tinbox does not add a tracking pixel',
	'tracking_settings.subscription_tracking': 'tinbox does not add unsubscribe links',
	'tracking_settings.ganalytics': 'tinbox does not rewrite links',
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
		...given.map(([field, meaning]) => `"${field}" has no effect: ${meaning}.`),
		...(isLater ? [`"send_at" has no effect: ${undone['send_at']}.`] : []),
		...enabled.flatMap(field => {
			const meaning = undoneSettings[field];
			return meaning === undefined ? [] : [`"${field}" has no effect: ${meaning}.`];
		}),
	];
}
