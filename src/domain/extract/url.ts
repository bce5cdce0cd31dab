/** Characters of an address; longer ones are left out. */
export const longestUrl = 8192;

/** The address as one can open it, or undefined when it is not an absolute http or https one. */
export function openableUrl(href: string): string | undefined {
	if (href.length > longestUrl) {
		return undefined;
	}

	const url = href
		.replace(/[\t\r\n]/g, '')
		.trim()
		.replaceAll(' ', '%20');
	return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}
