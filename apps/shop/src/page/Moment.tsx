export function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{new Date(at).toLocaleTimeString()}</time>
}
