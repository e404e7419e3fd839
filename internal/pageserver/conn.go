package pageserver

import (
	"net"
	"sync"
)

// counted gives its place back when it is closed, once.
type counted struct {
	net.Conn
	room chan struct{}
	once sync.Once
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.room })
	return err
}
