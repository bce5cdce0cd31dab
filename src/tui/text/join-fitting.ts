/** As many of these as fit side by side; the first one in any case. */
export function joinFitting(parts: readonly string[], width: number): string {
	return parts.reduce((line, part) => {
		const longer = line === '' ? part : `${line}  ${part}`;
		return longer.length <= width || line === '' ? longer : line;
	}, '');
}
