/** Patterns of random values and their fixed replacements, so that pictures only change with the screen. */
export const chance: ReadonlyArray<readonly [pattern: RegExp, same: string]> = [
	[/tbx_live_[\w-]{7}/g, 'tbx_live_k3Qx9Zt'],
	[/(?<=[\da-f]{8}-[\da-f]{4}-7)[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '4eb-af79-e16fe40549fe'],
	[/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '7d213c54-8425-436f-b74a-192efbc541cb'],
];
