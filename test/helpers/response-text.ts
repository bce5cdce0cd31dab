/** The body of an answer; of an event stream, which does not end by itself, its beginning. */
export async function textOf(response: Response): Promise<string> {
	if (response.headers.get('Content-Type')?.startsWith('text/event-stream') && response.body) {
		for await (const chunk of response.body) {
			return new TextDecoder().decode(chunk);
		}
	}

	return response.text();
}
