/** What XML 1.0, section 2.2, has no place for. */
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\p{Cs}]/gu;

const entities: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** An XML element: its children as they are. */
export function element(name: string, ...children: readonly string[]): string {
	return `<${name}>${children.join('')}</${name}>`;
}

/** An XML element that holds a text. */
export function textElement(name: string, text: string): string {
	const safe = text.replace(forbidden, '\ufffd');
	return element(
		name,
		safe.replace(/[&<>"]/g, sign => entities[sign] ?? sign),
	);
}
