import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { atSameRevision, go } from '../state/route.ts'

interface LinkProps {
  readonly to: string
  readonly class?: string
  readonly current?: boolean
  readonly title?: string
  readonly children: ComponentChildren
}

/** A link to a view. Other buttons and keys do what the browser does with links. */
export function Link({ to, current = false, children, ...rest }: LinkProps) {
  const link = useRef<HTMLAnchorElement>(null)
  // Where all links of a menu do not fit, the current one is scrolled to.
  useEffect(() => {
    if (current) link.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(to)
  }
  return (
    <a ref={link} href={atSameRevision(to)} onClick={follow} {...rest} {...(current && { 'aria-current': 'page' as const })}>
      {children}
    </a>
  )
}
