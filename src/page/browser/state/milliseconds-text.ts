/** A span as people read it. */
export const millisecondsText = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`
