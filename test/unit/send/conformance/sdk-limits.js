/**
 * Fields that the API of a provider does not support, and the mail without them.
 *
 * @typedef {import('./requested-mails.js').RequestedMail} RequestedMail
 * @typedef {{readonly feature: string, readonly withoutFeature: (mail: RequestedMail) => RequestedMail}} Limit
 */

/** @type {(feature: string, withoutFeature: (mail: RequestedMail) => Partial<RequestedMail>) => Limit} */
const limit = (feature, withoutFeature) => ({feature, withoutFeature: mail => ({...mail, ...withoutFeature(mail)})});

const noMetadata = limit('metadata', () => ({metadata: {}}));

const namelessTags = limit('tag names', ({tags}) => ({tags: tags.map(({value}) => ({name: null, value}))}));

/** By provider, and for SES by protocol. @satisfies {Readonly<Record<string, readonly Limit[]>>} */
export const limits = {
	resend: [
		noMetadata,
		limit('template variables other than strings and numbers', ({template}) => ({
			template: template && {
				...template,
				data: Object.fromEntries(Object.entries(template.data).filter(([, value]) => typeof value !== 'object')),
			},
		})),
	],
	sesv2: [noMetadata],
	ses: [noMetadata],
	sendgrid: [namelessTags],
	postmark: [namelessTags, limit('more than one tag', ({tags}) => ({tags: tags.slice(0, 1)}))],
	mailgun: [namelessTags],
};

/**
 * Removes the fields that a provider does not support.
 * @param {RequestedMail} mail
 * @param {readonly Limit[]} limits
 */
export function expressible(mail, limits) {
	return limits.reduce((supported, {withoutFeature}) => withoutFeature(supported), mail);
}
