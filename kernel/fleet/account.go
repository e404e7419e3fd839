package fleet

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/git-dos/git-dos/kernel/lane"
)

// An Account is a pool of seats as dos.toml declares it. A seat is held by one
// lease at a time, so an account never has more workers than it has seats.
type Account struct {
	Name       string `json:"name"`
	Tier       int    `json:"tier"`
	SessionCap int    `json:"session_cap"` // how many seats it has
	Kind       string `json:"kind"`
	Probed     bool   `json:"probed"` // it declares a command that tells whether it is available
}

// Kinds of accounts. Only a worker account gives seats.
const (
	KindWorker     = "worker"
	KindExcluded   = "excluded"
	KindNonAccount = "non-account"
)

// SeatName is the name of seat k of an account, counted from 0.
func SeatName(account string, k int) string { return account + "/" + strconv.Itoa(k) }

// SeatOf is the account that a seat belongs to, by its place in the list, and the
// number of the seat there, which may lie beyond what the account has. ok is false
// where the seat is none of theirs. Names are compared as the authority compares
// seats: neither case nor Unicode form tells two apart.
func SeatOf(accounts []Account, seat string) (at, k int, ok bool) {
	cut := strings.LastIndexByte(seat, '/')
	if cut < 0 {
		return 0, 0, false
	}
	k, err := strconv.Atoi(seat[cut+1:])
	if err != nil || k < 0 || strconv.Itoa(k) != seat[cut+1:] {
		return 0, 0, false
	}
	name, ok := lane.FoldName(seat[:cut])
	if !ok {
		return 0, 0, false
	}
	for i, a := range accounts {
		if folded, ok := lane.FoldName(a.Name); ok && folded == name {
			return i, k, true
		}
	}
	return 0, 0, false
}

// nameless says why the seats of an account can have no names, "" where they can.
func nameless(accounts []Account, at int) string {
	name, ok := lane.FoldName(accounts[at].Name)
	switch {
	case !ok:
		return "its name has no stable folded form"
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return "its name holds white space or what cannot be seen"
	}
	for _, other := range accounts[:at] {
		if folded, ok := lane.FoldName(other.Name); ok && folded == name {
			return "its name differs from that of account " + other.Name + " by nothing that seats are told apart by"
		}
	}
	return ""
}

// A TakenSeat is a seat that a lease holds or that the authority has booked.
type TakenSeat struct {
	Seat string `json:"seat"`
	By   string `json:"by"` // to people
}

// A Cap says that an account is used up. Without Until nobody knows for how long.
type Cap struct {
	Account string     `json:"account"`
	Until   *time.Time `json:"until"`
	Reason  string     `json:"reason,omitempty"`
}

// over reports whether the account may be used again.
func (c Cap) over(now time.Time) bool { return c.Until != nil && !now.Before(*c.Until) }
