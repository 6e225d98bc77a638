/** A command that somebody types, and what it prints. */
export interface TerminalStep {
  readonly command: string
  readonly output: readonly string[]
}

const LINE = 20
const LEFT = 16
const COLUMNS = 92
/** The width of a character of 13 pixels in a monospaced font. */
const CHARACTER = 7.85
/** Between two steps; the whole starts again after a while. */
const STEP_S = 1.6
const REST_S = 6

/**
 * The steps as an SVG that shows one after the other, and all of them where motion is not wanted or styles are not played. A line that is
 * too long is cut.
 */
export function terminalSvg(steps: readonly TerminalStep[]): string {
  const rows = steps.flatMap(({ command, output }, step) => [
    { step, text: `$ ${command}`, kind: 'command' },
    ...output.map((text) => ({ step, text, kind: 'output' })),
  ])
  const height = rows.length * LINE + 56
  const width = Math.round(COLUMNS * CHARACTER + 2 * LEFT)
  const totalS = steps.length * STEP_S + REST_S
  const styles = steps.map((_, i) => {
    const at = ((i * STEP_S) / totalS) * 100
    return `@keyframes s${i} { 0%, ${at.toFixed(2)}% { opacity: 0 } ${(at + 0.5).toFixed(2)}%, 100% { opacity: 1 } } .s${i} { animation: s${i} ${totalS}s infinite }`
  })
  const texts = rows.map(
    ({ step, text, kind }, i) =>
      `<text class="s${step} ${kind}" x="${LEFT}" y="${52 + i * LINE}" xml:space="preserve">${escaped(cut(text))}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A terminal: a cluster starts, a deployment becomes available, and bowsprit why says why a pod waits</title>
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d7dae0 }
.command { fill: #ffffff; font-weight: 600 }
@media (prefers-reduced-motion: no-preference) {
${styles.join('\n')}
}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#14161c"/>
<circle cx="20" cy="18" r="5" fill="#e5534b"/><circle cx="38" cy="18" r="5" fill="#c69026"/><circle cx="56" cy="18" r="5" fill="#57ab5a"/>
${texts.join('\n')}
</svg>
`
}

const cut = (text: string) => (text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text)
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
